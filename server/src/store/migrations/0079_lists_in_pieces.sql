-- Open orders and all others are listed in pieces, each by its own index in the order of the list. The index of before stays for
-- copies of the version before.
create index limit_orders_open_of_maker on limit_orders
  (maker, program, updated_at desc, slot desc, position desc, number desc, order_key desc) where state = 'open';
create index limit_orders_ended_of_maker on limit_orders
  (maker, program, updated_at desc, slot desc, position desc, number desc, order_key desc) where state <> 'open';
