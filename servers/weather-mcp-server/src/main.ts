#!/usr/bin/env node
import { openMeteo, weather } from './weather.ts';

await weather({ source: process.env['WEATHER_OFFLINE'] === '1' ? undefined : openMeteo }).serve();
