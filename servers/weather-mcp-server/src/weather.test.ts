import { readExamples, serverTests } from '@sallyport/kit/testing';
import { test } from 'vitest';
import { weather } from './weather.ts';

const examples = [
  ...readExamples(new URL('../README.md', import.meta.url)),
  {
    tool: 'weather_find_location',
    input: { query: 'sao' },
    output: { places: [{ name: 'São Paulo', country: 'Brazil', latitude: -23.6, longitude: -46.6 }] },
  },
  {
    tool: 'weather_get_forecast',
    input: { place: 'paris', days: 1 },
    output: { place: 'Paris', days: [{ date: '2026-07-01', celsius: 21, rain_chance: 0.27, source: 'climate' }] },
  },
  { tool: 'weather_get_forecast', input: { place: 'Atlantis' }, error: /no place "Atlantis".*weather_find_location/ },
  { tool: 'weather_convert_unit', input: { value: 100, from: 'celsius', to: 'fahrenheit' }, output: { value: 212 } },
  { tool: 'weather_convert_unit', input: { value: 1, from: 'celsius', to: 'miles_per_hour' }, error: /one kind/ },
];
for (const { kind, name, run } of serverTests({
  create: () => weather({ today: () => new Date('2026-07-01T12:00:00Z') }),
  examples,
}))
  test(`${kind}: ${name}`, run);
