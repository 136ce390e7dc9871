-- When the pool of a launch was seen to have left its curve; null while it is there.
alter table launches add column migrated_at timestamptz;
create index launches_on_curve on launches (mint) where migrated_at is null;
-- What the keeper has spent on migrations, which it looks up by area and time.
create index ledger_launch_migrations on ledger (created_at) where area = 'launch-migrations';
