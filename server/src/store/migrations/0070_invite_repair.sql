-- Where the invite lists stand while they are behind: they hold the events up to `listed`, their last invite is `listed_id`, and
-- what they hold from `late` on is to be taken out again. All null: nobody knows, and they are made from nothing.
alter table invite_index
  add column listed_slot bigint,
  add column listed_position bigint,
  add column listed_number integer,
  add column listed_id bigint,
  add column late_slot bigint,
  add column late_position bigint;

-- Copies of the version before make the lists from nothing, and do not know of these columns.
create function forget_where_invite_lists_stand() returns trigger language plpgsql as $$
begin
  new.listed_slot := null;
  new.listed_position := null;
  new.listed_number := null;
  new.listed_id := null;
  new.late_slot := null;
  new.late_position := null;
  return new;
end $$;
create trigger forget_where_invite_lists_stand before update on invite_index
  for each row when (not new.lists_behind) execute function forget_where_invite_lists_stand();

-- The newest invite of an account is looked up when events are taken out of the lists.
create index invites_by_account on invites (invite_pda, id);
drop index invites_of_account;
