-- A maker that has sent a transaction which it had rejected, and the signature of that transaction.
alter table makers add column suspended_at timestamptz, add column suspended_for text;
