-- Sessions of the console that were ended before their time; after `until` they would be over anyway.
create table ended_admin_sessions (
  id text primary key,
  until timestamptz not null
);
