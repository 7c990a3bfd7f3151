-- What Rapport needs in a Supabase project. Safe to run again.
--
-- Every row belongs to the person who signed in (user_id). Row policies let people see and change their
-- own rows only. The trigger ignores a change that is older than the row, so the newest version wins
-- whatever the order in which devices send theirs.

create or replace function public.keep_newest() returns trigger language plpgsql
set search_path = '' as $$
begin
  if new.updated_at < old.updated_at then
    return null;
  end if;
  return new;
end;
$$;

create table if not exists public.intakes (
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  id text not null,
  pack text not null,
  rubric_version integer not null,
  is_complete boolean not null,
  overall double precision,
  facets jsonb not null,
  started_at timestamptz,
  journey text,
  answers jsonb,
  progress jsonb,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

-- A project that was set up before there were journeys.
alter table public.intakes add column if not exists journey text;
alter table public.intakes add column if not exists answers jsonb;
-- Before a journey could be continued on another device.
alter table public.intakes add column if not exists progress jsonb;

create table if not exists public.coaching_profiles (
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  id text not null,
  system jsonb not null,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

create table if not exists public.goals (
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  id text not null,
  body jsonb not null,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

create table if not exists public.programs (
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  id text not null,
  body jsonb not null,
  updated_at timestamptz not null,
  primary key (user_id, id)
);

create table if not exists public.user_profiles (
  user_id uuid primary key default auth.uid() references auth.users on delete cascade,
  goal text,
  calorie_target integer check (calorie_target between 1000 and 4000),
  eating_window_start time,
  eating_window_end time,
  onboarding_completed boolean not null default false,
  updated_at timestamptz not null default now()
);

do $$
declare
  name text;
begin
  foreach name in array array['intakes', 'coaching_profiles', 'goals', 'programs', 'user_profiles'] loop
    execute format('alter table public.%I enable row level security', name);
    execute format('drop policy if exists "own rows" on public.%I', name);
    execute format(
      'create policy "own rows" on public.%I for all to authenticated
         using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id)', name);
    execute format('drop trigger if exists keep_newest on public.%I', name);
    execute format(
      'create trigger keep_newest before update on public.%I
         for each row execute function public.keep_newest()', name);
  end loop;
end;
$$;
