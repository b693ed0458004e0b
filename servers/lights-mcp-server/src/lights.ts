import { defineServer, defineTool, fail, field, z } from '@sallyport/kit';

interface Light {
  readonly room: string;
  isOn: boolean;
  brightness: number;
}

const light = z.object({
  room: z.string().describe('The room the light is in'),
  is_on: z.boolean().describe('Whether it is on'),
  brightness: z.number().describe('Brightness from 1 to 100'),
});

/** A house of three lights that lives as long as the server. */
export const lights = () => {
  const house = new Map<string, Light>(
    ['kitchen', 'bedroom', 'office'].map((room) => [room, { room, isOn: false, brightness: 80 }]),
  );
  const show = ({ room, isOn, brightness }: Light) => ({ room, is_on: isOn, brightness });
  const find = (room: string): Light =>
    house.get(room.toLowerCase().trim()) ??
    fail(`There is no light in "${room}".`, `The rooms are ${[...house.keys()].join(', ')}.`);

  const listLights = defineTool({
    name: 'lights_list_rooms',
    title: 'List the lights',
    description: 'Lists the lights of the house by room, and says which are on.',
    input: {},
    output: { lights: field('One for each room', z.array(light)) },
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    run: () => ({ lights: [...house.values()].map(show) }),
  });
  const switchLight = defineTool({
    name: 'lights_switch_room',
    title: 'Switch a light',
    description: 'Switches the light of a room on or off, or sets its brightness, and returns its new state.',
    input: {
      room: field('The room, for example "kitchen"', z.string().min(1).max(40)),
      is_on: field('true to switch it on, false to switch it off', z.boolean()),
      brightness: field('Brightness from 1 to 100; left out: as before', z.number().int().min(1).max(100).optional()),
    },
    output: { light: field('The light as it is now', light) },
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    run({ room, is_on, brightness }) {
      const found = find(room);
      found.isOn = is_on;
      if (brightness !== undefined) found.brightness = brightness;
      return { light: show(found) };
    },
  });
  return defineServer({ name: 'lights-mcp-server', version: '1.0.0', tools: [listLights, switchLight] });
};
