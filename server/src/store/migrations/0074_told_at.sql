-- When what happened got its number, from which on webhooks are sent it: they have a day from then, however long ago it was. Null: as
-- long ago as it was.
alter table events add column told_at timestamptz;
