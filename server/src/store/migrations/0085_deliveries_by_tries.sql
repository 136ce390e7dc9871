-- What has failed once, or was asked for, is tried before all that a receiver may refuse for good.
create index webhook_deliveries_tried_once on webhook_deliveries (webhook_id, tries, due_at) where tries <= 1 and due_at is not null;
create index webhook_deliveries_tried_again on webhook_deliveries (webhook_id, due_at) where tries > 1 and due_at is not null;
