-- How far a program's history has been read, and what could not be: the same two tables for every program.
alter table limit_order_cursors rename to index_cursors;
alter table limit_order_unread rename to index_unread;
-- Copies of the version before go on with them until they are replaced.
create view limit_order_cursors as select * from index_cursors;
create view limit_order_unread as select * from index_unread;

-- Invites: their transactions were all listed, to the end of the history, before they were read. Their positions are not
-- without gaps, but the two positions of a cursor are apart by the number of transactions.
insert into index_cursors (program, newest, newest_slot, oldest, newest_position, oldest_position, complete)
select i.program, coalesce(newest.signature, ''), coalesce(newest.slot, 0), coalesce(oldest.signature, ''),
  coalesce(newest.position, 0), coalesce(newest.position, 0) - (select count(*) from invite_transactions),
  newest.signature is not null
from invite_index i
left join (select * from invite_transactions order by slot desc, position desc limit 1) newest on true
left join (select * from invite_transactions order by slot, position limit 1) oldest on true
on conflict do nothing;

insert into index_unread (program, tx_id, slot, position, at, tries)
select i.program, t.signature, t.slot, t.position, t.at, t.tries
from invite_index i, invite_transactions t where not t.is_read
on conflict do nothing;

drop table invite_transactions;

-- Each event once, also where a node tells of a transaction twice.
create unique index invite_events_once on invite_events (signature, number);

-- Events are stored that are older than those that the lists were made of: they have to be made again.
alter table invite_index add column lists_behind boolean not null default false;
