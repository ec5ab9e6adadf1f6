package main

import (
	"fmt"
	"strings"
)

// name returns the name of the page: its words, joined by hyphens.
func (p *page) name() string { return strings.Join(p.words, "-") }

// part returns the section of the manual that the page belongs to: 1 for programs, 7 for conventions.
func (p *page) part() int {
	if p.topic {
		return 7
	}
	return 1
}

// file returns the name of the page's file.
func (p *page) file() string { return fmt.Sprintf("%s.%d", p.name(), p.part()) }

// roff returns the page in the language of man(7).
func (p *page) roff(version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s %d %s %s\n", quoted(strings.ToUpper(p.name())), p.part(), quoted(date), quoted(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", plain(p.name()), plain(p.short))
	asItIs(&b, "SYNOPSIS", p.help.section("Usage"))
	asItIs(&b, "DESCRIPTION", p.help.about)
	entries(&b, "COMMANDS", listed(p.help.section("Available Commands")))
	entries(&b, "OPTIONS", options(p.help.section("Flags")))
	asItIs(&b, "EXAMPLES", p.help.section("Examples"))
	p.seeAlso(&b)
	return b.String()
}

// seeAlso writes the section of other pages: the one above, and the topics of a program.
func (p *page) seeAlso(b *strings.Builder) {
	var list []string
	if len(p.words) > 1 {
		list = append(list, fmt.Sprintf(".BR %s (1)", plain(strings.Join(p.words[:len(p.words)-1], "-"))))
	}
	for _, t := range p.topics {
		list = append(list, fmt.Sprintf(".BR %s (7)", plain(t.name())))
	}
	if len(list) > 0 {
		fmt.Fprintf(b, ".SH \"SEE ALSO\"\n%s\n", strings.Join(list, ",\n"))
	}
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
