/**
 * A PostgreSQL database is restored inside its running server: into a new database, which then takes the
 * name. Nothing else of the server is touched. Statements are fixed texts that the server completes; values
 * are variables of psql, which quotes them.
 */
import { lines } from '../../database/kinds/server.ts';
import type { DatabaseProgram, DatabaseTarget, InPlacePrograms } from '../programs/database-program.ts';
import { loaderOf } from '../programs/foreign-programs.ts';

type Connect = (target: DatabaseTarget, ...argv: [string, ...string[]]) => DatabaseProgram;

const psql =
  'psql -X -q -A -t -v ON_ERROR_STOP=1 -v name="$NAME" -v fresh="$FRESH" -v former="$FORMER" -v ' +
  'roles="$ROLES" -v loader="$LOADER" -f -';
const run = (what: string): string => `printf '%s\\n' "$${what}" | ${psql}`;

/**
 * Roles that the objects of the database name, with what a restore elsewhere needs of them. No passwords. The
 * first superuser, whose id is 10, is always among them, since pg_shdepend leaves out what it owns.
 */
const notes = `
with named as (
  select refobjid as role from pg_shdepend
  where refclassid = 'pg_authid'::regclass
    and (dbid = (select oid from pg_database where datname = current_database())
      or (classid = 'pg_database'::regclass
        and objid = (select oid from pg_database where datname = current_database())))
  union select datdba from pg_database where datname = current_database()
  union select oid from pg_roles where oid = 10
)
select json_build_object(
  'server', current_setting('server_version'),
  'encoding', current_setting('server_encoding'),
  'roles', (select coalesce(json_agg(json_build_object(
      'name', rolname, 'login', rolcanlogin, 'inherit', rolinherit,
      'superuser', exists (select from pg_event_trigger where evtowner = role)) order by rolname), '[]')
    from pg_roles join named on role = oid where rolname !~ '^pg_'));`;

/**
 * Makes absent roles without passwords and without the rights of a superuser or creator. Only an owner of
 * event triggers, who has to be a superuser, becomes one, with which nobody can sign in.
 */
const prepare = `
select format('create role %I %s %s', role ->> 'name',
  case when (role ->> 'superuser')::bool then 'superuser nologin'
    when (role ->> 'login')::bool then 'login' else 'nologin' end,
  case when (role ->> 'inherit')::bool then 'inherit' else 'noinherit' end)
from json_array_elements((:'roles'::json) -> 'roles') as role
where not exists (select from pg_roles where rolname = role ->> 'name')
\\gexec`;

const create = `
select format('alter database %I allow_connections true', datname) from pg_database
where datname = :'fresh' \\gexec
select format('drop database %I', datname) from pg_database where datname = :'fresh'
\\gexec
select format('create database %I template template0 owner %I encoding %L lc_collate %L lc_ctype %L%s%s ' ||
    'connection limit %s tablespace %I',
  :'fresh', pg_get_userbyid(d.datdba), pg_encoding_to_char(d.encoding), d.datcollate, d.datctype,
  case j ->> 'datlocprovider'
    when 'i' then format(' locale_provider icu icu_locale %L',
      coalesce(j ->> 'datlocale', j ->> 'daticulocale'))
    when 'b' then format(' locale_provider builtin builtin_locale %L', j ->> 'datlocale')
    else '' end,
  case when j ->> 'daticurules' is null then '' else format(' icu_rules %L', j ->> 'daticurules') end,
  d.datconnlimit, t.spcname)
from pg_database d join pg_tablespace t on t.oid = d.dattablespace, to_jsonb(d) j where d.datname = :'name'
union all
select format('create database %I template template0', :'fresh')
where not exists (select from pg_database where datname = :'name')
\\gexec
insert into pg_db_role_setting
select (select oid from pg_database where datname = :'fresh'), setrole, setconfig from pg_db_role_setting
where setdatabase = (select oid from pg_database where datname = :'name');
select format('revoke all on database %I from public', :'fresh') from pg_database
where datname = :'name' and datacl is not null
union all
select format('grant %s on database %I to %s%s', privilege_type, :'fresh',
  case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
  case when is_grantable then ' with grant option' else '' end)
from pg_database, aclexplode(datacl) where datname = :'name'
\\gexec
select format('comment on database %I is %L', :'fresh', shobj_description(oid, 'pg_database'))
from pg_database where datname = :'name' and shobj_description(oid, 'pg_database') is not null
\\gexec`;

const close = `
select format('alter database %I allow_connections false', datname) from pg_database
where datname in (:'name', :'fresh') \\gexec`;
const open = `
select format('alter database %I allow_connections true', datname) from pg_database
where datname in (:'name', :'fresh', :'former') and not datallowconn \\gexec`;
const end = `
select count(pg_terminate_backend(pid)) from pg_stat_activity
where datname in (:'name', :'fresh') and backend_type = 'client backend';`;
const swap = `
begin;
select format('alter database %I rename to %I', :'name', :'former') from pg_database
where datname = :'name' \\gexec
select format('alter database %I rename to %I', :'fresh', :'name') \\gexec
commit;
select format('alter database %I is_template true', :'name') from pg_database
where datname = :'former' and datistemplate \\gexec`;

const changeScript = lines(
  `open() { ${run('OPEN')}; }`,
  `${run('CLOSE')} || { open; exit 1; }`,
  'tries=0',
  `while left=$(${run('END')}) && [ "$left" != 0 ]; do`,
  '  tries=$((tries + 1))',
  '  [ "$tries" -lt 100 ] || { open; echo "Its connections did not end." >&2; exit 1; }',
  '  sleep 0.3',
  'done',
  `${run('SWAP')} || { open; exit 1; }`,
  'open',
);

/** With the login of a load that was broken off, which owned it. */
const drop = `
select format('drop database %I', datname) from pg_database where datname = :'fresh'
\\gexec
select format('drop role %I', rolname) from pg_roles where rolname = :'loader'
\\gexec`;

export function postgresInPlace(connect: Connect): InPlacePrograms {
  /** In a database that is neither of those that are renamed. */
  const at = (target: DatabaseTarget, script: string, env: DatabaseProgram['env']): DatabaseProgram => {
    const elsewhere = target.database === 'postgres' ? 'template1' : 'postgres';
    const { argv, env: login } = connect({ ...target, database: elsewhere }, 'sh', '-c', script);
    const names = { NAME: target.database, FRESH: '', FORMER: '', ROLES: '', LOADER: '' };
    return { argv, env: { ...login, ...names, ...env } };
  };
  return {
    create: (target, { fresh }) => at(target, run('CREATE'), { CREATE: create, FRESH: fresh }),
    change: (target, { fresh, former }) =>
      at(target, changeScript, {
        FRESH: fresh,
        FORMER: former,
        CLOSE: close,
        OPEN: open,
        END: end,
        SWAP: swap,
      }),
    clear: (target, { fresh }) =>
      at(target, `${run('OPEN')} && ${run('DROP')}`, {
        FRESH: fresh,
        LOADER: loaderOf(fresh),
        OPEN: open,
        DROP: drop,
      }),
    has: (target, name) =>
      at(target, run('HAS'), {
        FRESH: name,
        HAS: "select count(*) from pg_database where datname = :'fresh';",
      }),
  };
}

export const postgresNotes = {
  read: (connect: Connect, target: DatabaseTarget): DatabaseProgram =>
    connect(target, 'psql', '-X', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', notes),
  prepare: (connect: Connect, target: DatabaseTarget, roles: string): DatabaseProgram => {
    const { argv, env } = connect({ ...target, database: 'postgres' }, 'sh', '-c', run('PREPARE'));
    return {
      argv,
      env: { ...env, NAME: '', FRESH: '', FORMER: '', ROLES: roles, LOADER: '', PREPARE: prepare },
    };
  },
};
