/** Names of HTML's characters (HTML Living Standard section 13.5) that stand for ASCII, or for something that is not seen. */
const NAMES =
  `Tab 9 NewLine 10 nbsp 32 NonBreakingSpace 32 ensp 32 emsp 32 thinsp 32 excl 33 quot 34 QUOT 34 num 35 dollar 36
percnt 37 amp 38 AMP 38 apos 39 lpar 40 rpar 41 ast 42 midast 42 plus 43 comma 44 period 46 sol 47 colon 58 semi 59 lt 60 LT 60
equals 61 gt 62 GT 62 quest 63 commat 64 lsqb 91 lbrack 91 bsol 92 rsqb 93 rbrack 93 Hat 94 lowbar 95 UnderBar 95 grave 96
DiacriticalGrave 96 lcub 123 lbrace 123 verbar 124 vert 124 VerticalLine 124 rcub 125 rbrace 125 hyphen 45 dash 45 minus 45
shy 173 zwnj 8204 zwj 8205 ZeroWidthSpace 8203 lrm 8206 rlm 8207`.split(/\s+/);

export const ENTITIES: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((name, i) => (i % 2 === 0 ? [[name, Number(NAMES[i + 1])] as const] : [])),
);
