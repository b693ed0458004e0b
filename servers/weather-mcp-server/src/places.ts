/** Where a place is, and its usual weather by month: mean temperature in degrees Celsius and days with rain. */
export interface Place {
  readonly name: string;
  readonly country: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly celsius: readonly number[];
  readonly rainDays: readonly number[];
}

/** Rounded climate normals of some cities, so that the server answers without a network. */
export const PLACES: readonly Place[] = [
  {
    name: 'Beijing',
    country: 'China',
    latitude: 39.9,
    longitude: 116.4,
    celsius: [-3, 0, 7, 15, 21, 25, 27, 26, 21, 13, 5, -1],
    rainDays: [2, 2, 3, 5, 6, 10, 13, 12, 8, 5, 4, 2],
  },
  {
    name: 'Berlin',
    country: 'Germany',
    latitude: 52.5,
    longitude: 13.4,
    celsius: [1, 2, 5, 10, 15, 18, 20, 20, 15, 10, 5, 2],
    rainDays: [10, 8, 9, 8, 9, 9, 10, 9, 8, 8, 9, 10],
  },
  {
    name: 'London',
    country: 'United Kingdom',
    latitude: 51.5,
    longitude: -0.1,
    celsius: [6, 6, 8, 10, 14, 17, 19, 19, 16, 12, 9, 6],
    rainDays: [12, 9, 10, 9, 9, 8, 8, 8, 8, 11, 11, 11],
  },
  {
    name: 'Nairobi',
    country: 'Kenya',
    latitude: -1.3,
    longitude: 36.8,
    celsius: [20, 21, 21, 20, 19, 18, 17, 18, 19, 20, 20, 19],
    rainDays: [5, 6, 11, 16, 13, 5, 3, 4, 4, 8, 15, 11],
  },
  {
    name: 'New York',
    country: 'United States',
    latitude: 40.7,
    longitude: -74,
    celsius: [1, 2, 6, 12, 17, 22, 25, 24, 20, 14, 9, 4],
    rainDays: [11, 10, 11, 11, 11, 11, 10, 10, 9, 9, 9, 11],
  },
  {
    name: 'Paris',
    country: 'France',
    latitude: 48.9,
    longitude: 2.4,
    celsius: [5, 6, 9, 12, 15, 19, 21, 21, 17, 13, 8, 5],
    rainDays: [10, 9, 10, 9, 10, 8, 8, 8, 8, 10, 10, 11],
  },
  {
    name: 'São Paulo',
    country: 'Brazil',
    latitude: -23.6,
    longitude: -46.6,
    celsius: [23, 23, 22, 21, 18, 17, 17, 18, 19, 20, 21, 22],
    rainDays: [17, 15, 14, 9, 7, 6, 5, 5, 8, 11, 12, 15],
  },
  {
    name: 'Sydney',
    country: 'Australia',
    latitude: -33.9,
    longitude: 151.2,
    celsius: [24, 24, 22, 20, 17, 14, 13, 15, 17, 19, 21, 22],
    rainDays: [12, 13, 14, 13, 13, 13, 11, 10, 11, 12, 12, 12],
  },
  {
    name: 'Tokyo',
    country: 'Japan',
    latitude: 35.7,
    longitude: 139.7,
    celsius: [5, 6, 9, 14, 19, 22, 26, 27, 24, 18, 13, 8],
    rainDays: [5, 6, 10, 10, 10, 12, 11, 9, 12, 11, 8, 5],
  },
];
