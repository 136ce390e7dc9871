-- Rents that cannot be returned must not come before those that can: who has waited longest since the last try is next.
drop index orders_rent_due;
create index orders_rent_due on orders (lease_until nulls first, id) where rent_due;
