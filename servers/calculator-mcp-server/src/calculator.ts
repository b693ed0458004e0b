import { defineServer, defineTool, fail, field, z } from '@sallyport/kit';

const PURE = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const number = z.number().finite();

const sum = defineTool({
  name: 'calculate_sum',
  title: 'Add numbers',
  description: 'Adds two or more numbers and returns the sum. Use it instead of adding in your head.',
  input: { numbers: field('The numbers to add, for example [1.5, 2]', z.array(number).min(1).max(1_000)) },
  output: { sum: field('The sum', z.number()) },
  hints: PURE,
  run: ({ numbers }) => ({ sum: finite(numbers.reduce((total, one) => total + one, 0)) }),
});

const OPERATIONS = {
  subtract: (left: number, right: number) => left - right,
  multiply: (left: number, right: number) => left * right,
  divide(left: number, right: number) {
    if (right === 0) fail('Nothing can be divided by 0.', 'Ask the user for another divisor.');
    return left / right;
  },
  power: (left: number, right: number) => left ** right,
  modulo(left: number, right: number) {
    if (right === 0) fail('There is no remainder of a division by 0.', 'Ask the user for another divisor.');
    return left % right;
  },
};

const compute = defineTool({
  name: 'calculate_two_numbers',
  title: 'Compute with two numbers',
  description: 'Subtracts, multiplies, divides, raises to a power or takes the remainder of two numbers.',
  input: {
    operation: field('What to do with the numbers', z.enum(['subtract', 'multiply', 'divide', 'power', 'modulo'])),
    left: field('The first number, for example 7', number),
    right: field('The second number, for example 2', number),
  },
  output: { result: field('The result', z.number()) },
  hints: PURE,
  run: ({ operation, left, right }) => ({ result: finite(OPERATIONS[operation](left, right)) }),
});

function finite(value: number): number {
  return Number.isFinite(value) ? value : fail('The result is too large or not a real number.', 'Use smaller numbers.');
}

export const calculator = () =>
  defineServer({
    name: 'calculator-mcp-server',
    version: '1.0.0',
    instructions: 'Exact arithmetic. Use it for every calculation that the user relies on.',
    tools: [sum, compute],
  });
