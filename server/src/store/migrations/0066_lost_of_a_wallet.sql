-- Of one wallet, only the newest orders whose deposits were lost are kept.
create index orders_lost_of_wallet on orders (wallet, id) where state = 'deposit_failed';
