import { toEnglish } from './synonyms.ts';
import { stem, toTerms } from './tokens.ts';

/** Words of a request beside what it is about: the usual stop words of English, and what requests begin with. They are ignored in requests, not in texts of tools. */
const BOILERPLATE = [
  'a an the of to in on for from with by at as and or not but if then than so into about over',
  'is are be am was were been being do does did done can could will would should shall may might must have has had having',
  'i me my mine we us our ours you your he she his her it its they them their there here this that these those',
  'what which who whom whose when where why how him himself her hers herself myself yourself ourselves themselves itself',
  'above after again against because before below between both during each few further no nor off once only other out',
  'own same through too under until up while every another something anything much many one really actually currently now',
  'please need want like wish help tell let give get find show provide use using used make sure know look looking',
  'some any all just also more most very able via etc hello hi thanks thank trying able interested',
];
const IGNORED: ReadonlySet<string> = new Set(BOILERPLATE.join(' ').split(' ').map(stem));
/** The same in Chinese, where nothing separates words. */
const IGNORED_HAN =
  /请问|请你|请帮我|帮我|帮忙|我想要|我想|我要|我需要|能不能|能否|如何|怎么|怎样|一下|给我|[请吗呢]/gu;
/** Characters of a request that are read. */
const MAX_REQUEST = 4000;
/** What a word of the dictionary counts beside one that stands in the request. */
const TRANSLATED = 0.3;

/** What a request is about: term -> how much it counts. Chinese words of the dictionary stand in it in English, too. */
export function toQuery(request: string): ReadonlyMap<string, number> {
  const text = request.slice(0, MAX_REQUEST).normalize('NFKC');
  const all = toTerms(text);
  const telling = toTerms(text.replace(IGNORED_HAN, ' ')).filter((term) => !IGNORED.has(term));
  const query = new Map((telling.length === 0 ? all : telling).map((term) => [term, 1]));
  for (const word of toEnglish(text)) if (!query.has(word)) query.set(word, TRANSLATED);
  return query;
}
