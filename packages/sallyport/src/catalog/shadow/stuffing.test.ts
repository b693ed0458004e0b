import { expect, test } from 'vitest';
import { findStuffing } from './stuffing.ts';

const found = (description: string) =>
  findStuffing({ server: 's', name: 'n', title: '', description, parameters: [] }).map(({ id }) => id);

const KINDS = 'mail,post,bank,card,train,plane,hotel,shop,food,music,film,game,book,news,map,photo,note,task,file,code';
const TASKS = [
  ...KINDS.split(','),
  ...KINDS.split(',').map((kind) => `send ${kind}`),
  ...KINDS.split(',').map((kind) => `find ${kind}`),
  'x1',
  'x2',
];

test.each([
  `Weather. ${'weather forecast weather now '.repeat(15)}`,
  `Does everything: ${TASKS.join(', ')}`,
  `天气查询工具。${'天气，'.repeat(30)}`,
])('stuffed: %s', (text) => expect(found(text)).toEqual(['stuffed-description']));

test.each([
  '',
  'Get the weather of a city.',
  'Returns the weather. Weather data is from the weather office; the weather is that of today.',
  `Changes a field. Fields: ${KINDS}.`,
  '查询一个城市的天气。城市可以是中文或英文。天气包括温度、湿度、风力。',
  'Reads a table. One row has many columns; each column has a name, a type and a unit. '.repeat(4),
])('not stuffed: %s', (text) => expect(found(text)).toEqual([]));
