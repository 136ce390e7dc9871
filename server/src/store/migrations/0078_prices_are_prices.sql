-- As the marks: with NaN as its price, an order has no place among the others of its token. One that has such a price has no trigger any
-- more: its owner cancels it, or has it expire.
update orders set
  trigger_price_usd = case when trigger_price_usd > 0 and trigger_price_usd < 'Infinity' then trigger_price_usd end,
  tp_price_usd = case when tp_price_usd > 0 and tp_price_usd < 'Infinity' then tp_price_usd end,
  sl_price_usd = case when sl_price_usd > 0 and sl_price_usd < 'Infinity' then sl_price_usd end
where not (trigger_price_usd > 0 and trigger_price_usd < 'Infinity' and tp_price_usd > 0 and tp_price_usd < 'Infinity'
  and sl_price_usd > 0 and sl_price_usd < 'Infinity');
alter table orders add constraint prices_are_prices
  check (trigger_price_usd > 0 and trigger_price_usd < 'Infinity' and tp_price_usd > 0 and tp_price_usd < 'Infinity'
    and sl_price_usd > 0 and sl_price_usd < 'Infinity');
