package main

import (
	"bytes"
	"fmt"
	"strings"
)

// hostileLines are texts that somebody who reads logs must not take for anything else: markup, control sequences of terminals,
// commands of CI servers, JSON that is broken, too deep or named like what a program has already, and bytes that are no text.
var hostileLines = []string{
	`<script src=x>squall-hostile</script>`,
	`{"event":"<img src=x onerror=squall-hostile>","note":"]]><svg onload=squall-hostile>"}`,
	"\x1b]0;squall-hostile\x07\x1b[2J\x1b[31mred\x1b[1;1H\x9b31m",
	"::error file=x::squall-hostile",
	"::add-mask::squall-hostile",
	"##vso[task.complete result=Succeeded]squall-hostile",
	`{"event":"__proto__","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
	`{"event":"toString","node":"harness","atNs":-1,"monoNs":"soon"}`,
	`{"event":"node.exited.","monoNs":1e999}`,
	`{"event":`,
	`{"event":"flood.line","monoNs":NaN}`,
	`null`, `[]`, `"event"`, `0`,
	"\u202egnp.squall-hostile\u2066\u2069\ufeff",
	"\xff\xfe\xc0\xaf\xed\xa0\x80 no text",
	"a\x00b\x08\x7f",
	"carriage\rreturn",
	`{"event":"` + strings.Repeat("e", 5_000) + `"}`,
	`{"event":"deep","at":` + strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000) + `}`,
	strings.Repeat("x", 40_000),
	"", " ", "\t",
}

func hostileLine(number int) []byte {
	line := hostileLines[number%len(hostileLines)]
	if number%1_000 == 7 {
		line = fmt.Sprintf(`{"event":"made-up-%d","secret":"squall-hostile"}`, number)
	}
	var out bytes.Buffer
	out.WriteString(line)
	out.WriteByte('\n')
	return out.Bytes()
}
