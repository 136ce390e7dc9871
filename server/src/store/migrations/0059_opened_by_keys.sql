-- Which key has submitted the transaction that has opened an order or an invite: the key hears of its end, too, and the
-- submission itself may have been deleted by then.
create table opened_by_keys (
  signature text primary key,
  api_key text not null
);
create index invites_opened_by on invites (creation_tx) where is_open;
create index limit_orders_opened_by on limit_orders (open_tx) where state = 'open';
