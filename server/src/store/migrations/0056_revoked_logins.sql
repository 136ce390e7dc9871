-- When all logins of a wallet were ended; a row may go when no login from before can still be valid.
create table revoked_logins (
  wallet text primary key,
  revoked_at timestamptz not null
);
create index revoked_logins_age on revoked_logins (revoked_at);
