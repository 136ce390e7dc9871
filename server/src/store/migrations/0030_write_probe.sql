-- One row that every readiness check writes, because a database can be readable and take no writes.
create table write_probe (
  id boolean primary key default true check (id),
  writes bigint not null
);
