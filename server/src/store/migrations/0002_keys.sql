create table api_keys (
  id text primary key,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  tier text not null,
  prefixes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_from text references api_keys (id)
);

-- The calls of a key in the seconds of its current window; after a crash windows may start empty.
create unlogged table rate_windows (
  key_id text not null,
  bucket text not null,
  seconds bigint[] not null,
  counts bigint[] not null,
  primary key (key_id, bucket)
);

-- Grants as many of `calls` as the window still has room for. The row lock makes copies of the service take turns.
-- A copy whose clock is behind counts in the newest second that is known, so that seconds stay in order.
create function take_calls(
  the_key text, the_bucket text, at_second bigint, window_seconds bigint, max_calls bigint, calls bigint,
  out granted bigint, out current bigint, out oldest_second bigint
) language plpgsql as $$
declare
  old_seconds bigint[];
  old_counts bigint[];
  new_seconds bigint[];
  new_counts bigint[];
  newest int;
begin
  insert into rate_windows values (the_key, the_bucket, '{}', '{}') on conflict do nothing;
  select w.seconds, w.counts into old_seconds, old_counts
    from rate_windows w where w.key_id = the_key and w.bucket = the_bucket for update;

  at_second := greatest(at_second, old_seconds[cardinality(old_seconds)]);
  select coalesce(array_agg(e.second order by e.second), '{}'), coalesce(array_agg(e.count order by e.second), '{}'),
         coalesce(sum(e.count), 0)
    into new_seconds, new_counts, current
    from unnest(old_seconds, old_counts) as e(second, count)
    where e.second > at_second - window_seconds;

  granted := greatest(least(calls, max_calls - current), 0);
  if granted > 0 then
    newest := cardinality(new_seconds);
    if newest > 0 and new_seconds[newest] = at_second then
      new_counts[newest] := new_counts[newest] + granted;
    else
      new_seconds := new_seconds || at_second;
      new_counts := new_counts || granted;
    end if;
    update rate_windows w set seconds = new_seconds, counts = new_counts
      where w.key_id = the_key and w.bucket = the_bucket;
  end if;
  current := current + granted;
  oldest_second := coalesce(new_seconds[1], at_second);
end
$$;
