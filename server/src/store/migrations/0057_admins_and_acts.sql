-- Admins besides the holder of the configured token. A row without a fitting seal is nobody.
create table admins (
  name text primary key,
  -- SHA-256 of the token; the token itself is never stored.
  hash bytea not null unique,
  roles text[] not null,
  seal bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);

-- What admins have asked for. Each row's hash covers the row and the hash of the one before.
create table admin_acts (
  seq bigint primary key,
  at timestamptz not null,
  who text not null,
  what text not null,
  request_id text not null,
  digest text not null,
  prev text not null,
  hash text not null
);
create function refuse_to_rewrite_admin_acts() returns trigger language plpgsql as $$
begin
  raise exception 'the record of admin acts is only added to';
end
$$;
create trigger admin_acts_stay before update or delete on admin_acts
  for each row execute function refuse_to_rewrite_admin_acts();
create trigger admin_acts_stay_all before truncate on admin_acts
  for each statement execute function refuse_to_rewrite_admin_acts();
