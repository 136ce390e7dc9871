-- What a keeper loads into its trigger book: also the rest of what is partly filled.
drop index orders_open;
create index orders_open on orders (id) where state in ('open', 'partial_fill_success');

-- Filled, and an account of it in the vault is not closed yet: its rent is still to go back to the wallet.
alter table orders add column rent_due boolean not null default false;
create index orders_rent_due on orders (id) where rent_due;
update orders set rent_due = true where state = 'fill_success';
