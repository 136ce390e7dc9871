-- Where the invite lists stand while they are behind: they hold the events up to `listed`, and what they hold from `late` on is
-- to be taken out again. `listed_slot` null: nobody knows, and they are made from nothing.
alter table invite_index
  add column listed_slot bigint,
  add column listed_position bigint,
  add column listed_number integer,
  add column late_slot bigint,
  add column late_position bigint;

-- Copies of the version before make the lists from nothing, and do not know of these columns. Of something late they tell by
-- an update that changes nothing where the lists are behind already.
create function forget_where_invite_lists_stand() returns trigger language plpgsql as $$
begin
  new.listed_slot := null;
  return new;
end $$;
create trigger forget_where_invite_lists_stand before update on invite_index
  for each row when (not new.lists_behind or old.* is not distinct from new.*)
  execute function forget_where_invite_lists_stand();

-- They put what is new into lists that are behind, too. Whoever knows where these stand notes it after each change.
create function forget_where_changed_invites_stand() returns trigger language plpgsql as $$
begin
  update invite_index set listed_slot = null where listed_slot is not null;
  return null;
end $$;
create trigger forget_where_changed_invites_stand after insert or update or delete on invites
  for each statement execute function forget_where_changed_invites_stand();

-- The newest invite of an account is looked up when events are taken out of the lists.
create index invites_by_account on invites (invite_pda, id);
drop index invites_of_account;
