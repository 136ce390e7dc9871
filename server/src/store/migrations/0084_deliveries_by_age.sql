-- With each failure, what a webhook has waited with for too long is given up: that reads nothing else of what waits.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, at) where due_at is not null;
