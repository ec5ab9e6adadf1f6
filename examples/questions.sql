-- Ten questions to a trace, in DuckDB.
--
--   pando export run.pando --format parquet -o tables
--   cd tables && duckdb < questions.sql        or      node sql.mjs questions.sql tables
--
-- Times are nanoseconds since the trace's first event; docs/tables.md tells every column.

CREATE VIEW calls AS FROM 'calls.parquet';
CREATE VIEW messages AS FROM 'messages.parquet';
CREATE VIEW collectives AS FROM 'collectives.parquet';
CREATE VIEW collective_ranks AS FROM 'collective_ranks.parquet';

-- An iteration lasts from one call of a region to the next call of that region on the same location. The region here is the one with fewest
-- calls, at least five, among regions that all ranks call equally often and that are called throughout a good part of the run. It is rhs_ in
-- NPB LU, adi_ in BT, sweep_ in Sweep3D. Name another one if you know better: SET VARIABLE iteration = 'time_step'.
SET VARIABLE iteration = (
  WITH by_rank AS (
    SELECT name, rank, count(*) AS calls, sum(duration_ns) AS ns, max(start_ns) - min(start_ns) AS span
    FROM calls WHERE rank IS NOT NULL AND depth > 0 AND children > 0 AND name NOT LIKE 'MPI_%' GROUP BY name, rank),
  even AS (
    SELECT name, min(calls) AS calls, sum(ns) AS ns, max(span) AS span FROM by_rank GROUP BY name
    HAVING min(calls) >= 5 AND min(calls) = max(calls) AND count(*) = (SELECT count(DISTINCT rank) FROM calls))
  SELECT name FROM even WHERE span >= (SELECT max(span) / 4 FROM even) ORDER BY calls, ns DESC, name LIMIT 1);

CREATE VIEW iterations AS
  SELECT rank, name, row_number() OVER next AS iteration, start_ns, coalesce(lead(start_ns) OVER next, end_ns) - start_ns AS duration_ns
  FROM calls WHERE name = getvariable('iteration') AND rank IS NOT NULL
  WINDOW next AS (PARTITION BY location ORDER BY start_ns);

-- 1. Where does the time go?
SELECT name, count(*) AS calls, sum(exclusive_ns) / 1e9 AS seconds,
  round(100 * sum(exclusive_ns) / sum(sum(exclusive_ns)) OVER (), 1) AS percent
FROM calls GROUP BY name ORDER BY seconds DESC, name LIMIT 10;

-- 2. How much of its time does each rank spend in MPI?
SELECT rank, sum(exclusive_ns) FILTER (name LIKE 'MPI_%') / 1e9 AS mpi_seconds,
  round(100 * sum(exclusive_ns) FILTER (name LIKE 'MPI_%') / sum(exclusive_ns), 1) AS percent
FROM calls WHERE rank IS NOT NULL GROUP BY rank ORDER BY rank;

-- 3. Which regions are unequally loaded: how long would they take if all ranks took as long as the mean?
SELECT name, max(seconds) AS slowest, avg(seconds) AS mean, max(seconds) - avg(seconds) AS lost_seconds
FROM (SELECT name, rank, sum(exclusive_ns) / 1e9 AS seconds FROM calls WHERE rank IS NOT NULL AND name NOT LIKE 'MPI_%' GROUP BY ALL)
GROUP BY name ORDER BY lost_seconds DESC, name LIMIT 10;

-- 4. And the iterations: how far apart are the ranks in each?
SELECT iteration, count(*) AS ranks, avg(duration_ns) / 1e6 AS mean_ms, max(duration_ns) / 1e6 AS slowest_ms,
  arg_max(rank, duration_ns) AS slowest_rank, round(max(duration_ns) / nullif(avg(duration_ns), 0), 3) AS imbalance
FROM iterations GROUP BY iteration ORDER BY iteration LIMIT 20;

-- 5. Which iterations are slow, against the median one?
SELECT iteration, any_value(name) AS region, min(start_ns) / 1e9 AS begins_at_second, max(duration_ns) / 1e6 AS ms,
  round(max(duration_ns) / nullif(median(max(duration_ns)) OVER (), 0), 2) AS times_the_median
FROM iterations GROUP BY iteration ORDER BY ms DESC, iteration LIMIT 5;

-- 6. Late senders: who keeps receivers waiting? A receiver waits from the begin of the call in which it receives to the send.
SELECT send_rank, receive_rank, count(*) AS messages, sum(greatest(send_ns - start_ns, 0)) / 1e6 AS waiting_ms
FROM messages ASOF JOIN (SELECT location, name, start_ticks, start_ns, end_ticks FROM calls WHERE name LIKE 'MPI_%') AS c
  ON c.location = messages.receive_location AND messages.receive_ticks >= c.start_ticks
WHERE receive_ticks <= c.end_ticks
GROUP BY ALL ORDER BY waiting_ms DESC, send_rank, receive_rank LIMIT 10;

-- 7. Who sends how much to whom?
SELECT send_rank, receive_rank, count(*) AS messages, sum(send_bytes)::BIGINT AS bytes, round(median(latency_ns) / 1e3, 1) AS median_us
FROM messages GROUP BY ALL ORDER BY send_rank, receive_rank;

-- 8. How does the share of MPI change with time? The time of calls is divided among twenty parts of the trace.
WITH span AS (SELECT max(end_ns) AS till, count(DISTINCT location) AS locations FROM calls),
parts AS (SELECT i, i * till / 20 AS a, (i + 1) * till / 20 AS b, locations FROM span, range(20) AS r(i)),
mpi AS (SELECT start_ns, end_ns FROM calls WHERE name LIKE 'MPI_%')
SELECT i AS part, a / 1e9 AS from_second,
  round(100 * coalesce(sum(least(end_ns, b) - greatest(start_ns, a)), 0) / any_value((b - a) * locations), 1) AS percent
FROM parts LEFT JOIN mpi ON start_ns < b AND end_ns > a
GROUP BY i, a ORDER BY i;

-- 9. Collective operations: how long do ranks wait in them, and who comes last?
SELECT operation, communicator_name, count(*) AS operations, sum(wait_ns) / 1e6 AS waiting_ms, max(spread_ns) / 1e6 AS widest_spread_ms,
  mode(last_rank) AS often_last, sum(sent_bytes)::BIGINT AS bytes
FROM collectives GROUP BY ALL ORDER BY waiting_ms DESC, operation;

-- 10. How fast are messages, by size?
SELECT 2 ** floor(log2(greatest(send_bytes, 1)))::INT AS bytes_from, count(*) AS messages,
  round(quantile_cont(latency_ns, 0.5) / 1e3, 1) AS median_us, round(quantile_cont(latency_ns, 0.95) / 1e3, 1) AS p95_us,
  round(sum(send_bytes) / nullif(sum(latency_ns), 0), 2) AS gigabytes_per_second
FROM messages WHERE latency_ns > 0 GROUP BY bytes_from ORDER BY bytes_from;
