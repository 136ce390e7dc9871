-- The URL of a maker's webhook may hold a password: it is kept encrypted with a key of the signer. SQL cannot do that
-- with rows from before: the service does it when it starts, and then drops the column url.
alter table makers
  alter column url drop not null,
  add column url_sealed bytea,
  add column url_mark bytea unique;
