-- The service's signature over what an order sells, buys and waits for. Orders from before have none, and are not filled.
alter table orders add column seal bytea;
