-- What makes the tables insert-only, monthly and blind to other tenants. Run like 0001, in the same schema.

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is insert-only: % of % is refused', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;

-- By statement and ALWAYS: an UPDATE of no row is refused as well, and replication mode does not switch it off.
-- Triggers of this kind are not inherited by partitions, so each partition gets its own.
CREATE FUNCTION guard_table(guarded regclass) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', guarded);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER insert_only', guarded);
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', guarded);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', guarded);
END $$;

-- Only parents carry a policy: a partition addressed by its own name shows nothing.
-- Without a tenant current_setting is null or empty, and no row has such a tenant.
DO $$
DECLARE guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['event_log', 'sessions', 'session_endings', 'plans', 'plan_items', 'item_previews', 'item_verdicts',
    'item_answers', 'item_expiries', 'plan_closings', 'apply_starts', 'apply_results', 'quarantine']
  LOOP
    PERFORM guard_table(guarded::regclass);
    EXECUTE format($policy$CREATE POLICY of_the_tenant ON %I FOR SELECT
      USING (tenant = nullif(current_setting('app.tenant', true), ''))$policy$, guarded);
  END LOOP;
END $$;

-- One partition. Attached and not created in place, so that readers of the table are not held up.
CREATE FUNCTION add_partition(parent text, part text, lower_bound text, upper_bound text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF to_regclass(quote_ident(part)) IS NOT NULL THEN RETURN; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
  PERFORM guard_table(quote_ident(part)::regclass);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, part, lower_bound, upper_bound);
END $$;

CREATE FUNCTION partitioned_tables() RETURNS SETOF text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT c.relname::text FROM pg_catalog.pg_partitioned_table p JOIN pg_catalog.pg_class c ON c.oid = p.partrelid
  WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1
$$;

-- The month of a time, and the next one ahead, in every table. SECURITY DEFINER: the projector owns nothing.
CREATE FUNCTION ensure_month(wanted timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  first_day date := date_trunc('month', wanted AT TIME ZONE 'UTC')::date;
  month date;
  parent text;
BEGIN
  IF first_day < DATE '2000-01-01' OR first_day >= DATE '2200-01-01' THEN
    RAISE EXCEPTION 'no month of the audit: %', wanted;
  END IF;
  -- Two streams' projectors may want the same month at once.
  PERFORM pg_advisory_xact_lock(hashtextextended(current_schema() || '.ensure_month', 0));
  FOREACH month IN ARRAY ARRAY[first_day, (first_day + interval '1 month')::date] LOOP
    FOR parent IN SELECT partitioned_tables() LOOP
      PERFORM add_partition(parent, format('%s_%s', parent, to_char(month, '"y"YYYY"m"MM')),
        quote_literal(to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00'),
        quote_literal(to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00'));
    END LOOP;
  END LOOP;
END $$;

-- Events whose own time says nothing stand at the epoch, so that they too have a place.
SELECT add_partition(parent, parent || '_untimed', 'MINVALUE', quote_literal('2000-01-01 00:00:00+00'))
FROM partitioned_tables() AS parent;

CREATE FUNCTION only_upwards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.stream = OLD.stream AND NEW.sequence > OLD.sequence THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'a checkpoint only rises: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER only_upwards BEFORE INSERT OR UPDATE OR DELETE ON checkpoints FOR EACH ROW EXECUTE FUNCTION only_upwards();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE checkpoints ENABLE ALWAYS TRIGGER only_upwards;
ALTER TABLE checkpoints ENABLE ALWAYS TRIGGER never_emptied;

-- Compare-and-set: false when somebody else was there first. The row stays locked until the caller's transaction ends.
CREATE FUNCTION advance_checkpoint(of_stream text, expected bigint, next bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE checkpoints SET sequence = next WHERE stream = of_stream AND sequence = expected;
  RETURN FOUND;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA :schema FROM PUBLIC;
