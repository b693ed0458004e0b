import { defineServer, defineTool, fail, field, formatInput, z } from '@sallyport/kit';
import { PLACES, type Place } from './places.ts';

const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

const findLocation = defineTool({
  name: 'weather_find_location',
  title: 'Find a place',
  description:
    'Finds places by the start of their name, with country and coordinates. Use it before a forecast when a name is not known.',
  input: { query: field('Start of the name, for example "Par"', z.string().min(1).max(100)) },
  output: {
    places: field(
      'The places found',
      z.array(
        z.object({
          name: z.string().describe('Name of the place'),
          country: z.string().describe('Its country'),
          latitude: z.number().describe('Degrees north'),
          longitude: z.number().describe('Degrees east'),
        }),
      ),
    ),
  },
  hints: READS,
  run: ({ query }) => ({
    places: PLACES.filter(({ name }) => fold(name).startsWith(fold(query))).map(
      ({ name, country, latitude, longitude }) => ({
        ...{ name, country, latitude, longitude },
      }),
    ),
  }),
});

interface Day {
  readonly date: string;
  readonly celsius: number;
  readonly rain_chance: number;
  readonly source: 'forecast' | 'climate';
}

/** Where forecasts come from; without one, the usual weather of the season is given. */
export type ForecastSource = (place: Place, days: number, signal: AbortSignal) => Promise<readonly Day[]>;

const getForecast = (source: ForecastSource | undefined, today: () => Date) =>
  defineTool({
    name: 'weather_get_forecast',
    title: 'Get the forecast',
    description: 'Returns temperature and chance of rain of a place for up to seven days, beginning today.',
    input: {
      place: field('Name of a place, for example "Paris"', z.string().min(1).max(100)),
      days: field('How many days', z.number().int().min(1).max(7).default(3)),
      ...formatInput,
    },
    output: {
      place: field('Name of the place', z.string()),
      days: field(
        'One for each day',
        z.array(
          z.object({
            date: z.string().describe('ISO 8601 date'),
            celsius: z.number().describe('Mean temperature in degrees Celsius'),
            rain_chance: z.number().describe('Chance of rain, from 0 to 1'),
            source: z
              .enum(['forecast', 'climate'])
              .describe('climate: the usual weather of the season, not a forecast'),
          }),
        ),
      ),
    },
    hints: { ...READS, openWorld: source !== undefined },
    async run({ place: name, days }, { signal }) {
      const place = PLACES.find((one) => fold(one.name) === fold(name));
      if (place === undefined)
        return fail(`There is no place "${name}".`, 'Call weather_find_location with the start of its name.');
      const found = await source?.(place, days, signal).catch(() => undefined);
      return { place: place.name, days: [...(found ?? usual(place, days, today()))] };
    },
  });

function usual(place: Place, days: number, today: Date): readonly Day[] {
  return Array.from({ length: days }, (_, i) => {
    const date = new Date(today.getTime() + i * 86_400_000);
    const month = date.getUTCMonth();
    const rain = (place.rainDays[month] ?? 0) / 30;
    return {
      date: date.toISOString().slice(0, 10),
      celsius: place.celsius[month] ?? 0,
      rain_chance: Math.round(rain * 100) / 100,
      source: 'climate',
    };
  });
}

/** Open-Meteo, which needs no key (https://open-meteo.com/en/docs). */
export const openMeteo: ForecastSource = async ({ latitude, longitude }, days, signal) => {
  const query = new URLSearchParams({
    ...{ latitude: String(latitude), longitude: String(longitude), forecast_days: String(days), timezone: 'UTC' },
    daily: 'temperature_2m_mean,precipitation_probability_max',
  });
  const response = await fetch(`https://api.open-meteo.com/v1/forecast?${query}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(3_000)]),
  });
  if (!response.ok) throw new Error(`Open-Meteo answered ${response.status}`);
  const { daily } = (await response.json()) as {
    daily: { time: string[]; temperature_2m_mean: number[]; precipitation_probability_max: number[] };
  };
  return daily.time.map((date, i) => ({
    date,
    celsius: daily.temperature_2m_mean[i] ?? 0,
    rain_chance: (daily.precipitation_probability_max[i] ?? 0) / 100,
    source: 'forecast',
  }));
};

const UNITS = {
  celsius: { kind: 'temperature', toBase: (n: number) => n, fromBase: (n: number) => n },
  fahrenheit: {
    kind: 'temperature',
    toBase: (n: number) => ((n - 32) * 5) / 9,
    fromBase: (n: number) => (n * 9) / 5 + 32,
  },
  kelvin: { kind: 'temperature', toBase: (n: number) => n - 273.15, fromBase: (n: number) => n + 273.15 },
  meters_per_second: { kind: 'speed', toBase: (n: number) => n, fromBase: (n: number) => n },
  kilometers_per_hour: { kind: 'speed', toBase: (n: number) => n / 3.6, fromBase: (n: number) => n * 3.6 },
  miles_per_hour: { kind: 'speed', toBase: (n: number) => n * 0.44704, fromBase: (n: number) => n / 0.44704 },
};
const unit = z.enum(['celsius', 'fahrenheit', 'kelvin', 'meters_per_second', 'kilometers_per_hour', 'miles_per_hour']);

const convertUnit = defineTool({
  name: 'weather_convert_unit',
  title: 'Convert a unit',
  description: 'Converts a temperature or a wind speed from one unit to another.',
  input: {
    value: field('The value to convert, for example 21.5', z.number().finite()),
    from: field('Its unit', unit),
    to: field('The unit wanted', unit),
  },
  output: { value: field('The converted value', z.number()), unit: field('Its unit', unit) },
  hints: READS,
  run({ value, from, to }) {
    if (UNITS[from].kind !== UNITS[to].kind)
      fail(`${from} is a ${UNITS[from].kind} and ${to} is a ${UNITS[to].kind}.`, 'Choose two units of one kind.');
    return { value: Math.round(UNITS[to].fromBase(UNITS[from].toBase(value)) * 1e6) / 1e6, unit: to };
  },
});

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
}

export interface WeatherOptions {
  readonly source?: ForecastSource | undefined;
  readonly today?: () => Date;
}

export const weather = ({ source, today = () => new Date() }: WeatherOptions = {}) =>
  defineServer({
    name: 'weather-mcp-server',
    version: '1.0.0',
    instructions:
      'Forecasts of some large cities. A day whose source is "climate" is the usual weather of the season, not a forecast.',
    tools: [findLocation, getForecast(source, today), convertUnit],
  });
