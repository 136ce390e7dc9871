-- A key that stands in pages, where everybody reads it, names their origins; one that is kept secret has none.
alter table api_keys add column origins text[] not null default '{}';
