-- What the operator has stopped.
create table stops (
  what text primary key check (what in ('fills', 'crafts', 'all')),
  why text not null,
  stopped_by text not null,
  stopped_at timestamptz not null
);
