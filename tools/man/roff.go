package main

import (
	"fmt"
	"strings"
)

// name returns the name of the page: its words, joined by hyphens.
func (p *page) name() string { return strings.Join(p.words, "-") }

// roff returns the page in the language of man(7).
func (p *page) roff(version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s\n", quoted(strings.ToUpper(p.name())), quoted(date), quoted(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", plain(p.name()), plain(p.short))
	asItIs(&b, "SYNOPSIS", p.help.section("Usage"))
	asItIs(&b, "DESCRIPTION", p.help.about)
	entries(&b, "COMMANDS", listed(p.help.section("Available Commands")))
	entries(&b, "OPTIONS", options(p.help.section("Flags")))
	asItIs(&b, "EXAMPLES", p.help.section("Examples"))
	for _, topic := range p.topics {
		asItIs(&b, strings.ToUpper(topic.words[0]), topic.help.about)
	}
	if len(p.words) > 1 {
		above := strings.Join(p.words[:len(p.words)-1], "-")
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", plain(above))
	}
	return b.String()
}

// asItIs writes a section whose lines stay as they are: help texts are laid out for terminals.
func asItIs(b *strings.Builder, title, text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	fmt.Fprintf(b, ".SH %s\n.nf\n", quoted(title))
	for line := range strings.Lines(text + "\n") {
		b.WriteString(plain(strings.TrimRight(line, "\n")) + "\n")
	}
	b.WriteString(".fi\n")
}

// entries writes a section of names in bold, each with its meaning.
func entries(b *strings.Builder, title string, list []entry) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", quoted(title))
	for _, e := range list {
		fmt.Fprintf(b, ".TP\n.B %s\n", plain(e.name))
		for line := range strings.Lines(e.text + "\n") {
			b.WriteString(plain(strings.TrimRight(line, "\n")) + "\n")
		}
	}
}

var escapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`)

// plain returns a line that man(7) takes for text: a dot or an apostrophe at its begin would make it a request.
func plain(line string) string {
	line = escapes.Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

// quoted returns an argument of a request.
func quoted(text string) string {
	return `"` + strings.ReplaceAll(escapes.Replace(text), `"`, `\(dq`) + `"`
}
