import { expect, it } from 'vitest';
import { AppError } from '../../../domain/errors.ts';
import { requireReading } from './handlers.ts';
import { rowsOfXml } from './mysql.ts';
import { wordsOfAnswer } from './redis.ts';

it.each([
  ['select 1', 'select 1'],
  ['  select 1 ; ;\n', 'select 1'],
  ['-- why\n/* and */ # so\nWITH x AS (select 1) select * from x', 'WITH x AS (select 1) select * from x'],
  ['(select 1) union (select 2)', '(select 1) union (select 2)'],
])('takes %j, a statement that reads', (statement, asked) => {
  expect(requireReading(statement)).toBe(asked);
});

it.each([
  'delete from orders',
  '-- select\ndrop table orders',
  '/*! drop table orders */',
  '\\! id',
  '',
  ';',
])('refuses %j with the field', (statement) => {
  expect(() => requireReading(statement)).toThrow(AppError);
  expect(() => requireReading(statement)).toThrow(/^statement: must be one that reads/);
});

it('tells null from a text in rows of MySQL, and leaves a row out that was cut', () => {
  const xml = `<?xml version="1.0"?>
<resultset statement="execute berth" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <row>
	<field name="a &lt; b">NULL</field>
	<field name="c" xsi:nil="true" />
	<field name="d"></field>
  </row>
  <row>
	<field name="a &lt; b">&amp;lt; &quot;</field>
	<field name="c">x
y</field>
	<field name="d">&#9;</field>
  </row>
  <row>
	<field name="a &lt; b">cut he`;
  expect(rowsOfXml(xml)).toEqual({
    columns: ['a < b', 'c', 'd'],
    rows: [
      ['NULL', null, ''],
      ['&lt; "', 'x\ny', '&#9;'],
    ],
  });
});

it('reads words of Redis as bytes of UTF-8', () => {
  expect(wordsOfAnswer('"0","a,\\"b\\"\\n","\\xc3\\xbc\\\\x41",-1,""\n')).toEqual([
    '0',
    'a,"b"\n',
    'ü\\x41',
    '-1',
    '',
  ]);
  expect(wordsOfAnswer('"0","whole","cut he')).toEqual(['0', 'whole']);
});
