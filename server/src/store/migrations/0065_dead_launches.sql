-- Launches whose end is that they have not landed: nobody looks for their names, nor for what became of their curves.
alter table launches add column never_landed boolean not null default false;
update launches set never_landed = true from ledger
  where ledger.id = request_id and finished_at is not null and ledger.state <> 'landed';
drop index launches_symbol;
drop index launches_name;
drop index launches_on_curve;
create index launches_symbol on launches (lower(symbol) text_pattern_ops) where not never_landed;
create index launches_name on launches (lower(name) text_pattern_ops) where not never_landed;
create index launches_on_curve on launches (mint) where migrated_at is null and not never_landed;
