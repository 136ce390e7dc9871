-- Events that were given up are counted, and deleted by their age, every few seconds.
create index webhook_deliveries_given_up on webhook_deliveries (at) where due_at is null;
