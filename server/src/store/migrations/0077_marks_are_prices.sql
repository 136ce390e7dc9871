-- Until now the edit of an order stored fields that nothing had checked. With NaN as its mark, a trailing order fired at each price and
-- was never due. Such an order has no trigger any more: its owner cancels it, or has it expire.
update orders set high_watermark = null where not (high_watermark > 0 and high_watermark < 'Infinity');
update orders set low_watermark = null where not (low_watermark > 0 and low_watermark < 'Infinity');
alter table orders add constraint marks_are_prices
  check (high_watermark > 0 and high_watermark < 'Infinity' and low_watermark > 0 and low_watermark < 'Infinity');
