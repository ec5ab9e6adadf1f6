package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// page is the manual page of a program, of one of its verbs or of a help topic.
type page struct {
	words  []string // the program's name, then the verb and the verbs below it
	short  string
	help   help
	topics []page // help texts that belong to no verb, of the program alone
	topic  bool   // this is one of them: a page of section 7
}

// help is a help text, taken apart.
type help struct {
	about    string
	sections []section
}

// section is a part of a help text below a title such as "Flags:".
type section struct{ title, text string }

// asker returns the help text on a verb, or of the program if it gets no words.
type asker func(words ...string) (string, error)

// collect returns the page of the program and those of all verbs.
func collect(ask asker) ([]page, error) {
	text, err := ask()
	if err != nil {
		return nil, err
	}
	h := parse(text)
	name, _, _ := strings.Cut(strings.TrimSpace(h.section("Usage")), " ")
	if name == "" || len(listed(h.section("Available Commands"))) == 0 {
		return nil, fmt.Errorf("the help names no program, or no verb of it")
	}
	short, _, _ := strings.Cut(h.about, ":")
	root := page{words: []string{name}, short: strings.TrimPrefix(short, strings.ToUpper(name[:1])+name[1:]+" "), help: h}
	for _, topic := range listed(strings.ReplaceAll(h.section("Additional help topics"), "  "+name+" ", "  ")) {
		text, err := ask(topic.name)
		if err != nil {
			return nil, err
		}
		root.topics = append(root.topics, page{words: []string{name, topic.name}, short: topic.text, help: parse(text), topic: true})
	}
	pages, err := below(ask, root)
	return slices.Concat([]page{root}, pages, root.topics), err
}

// below returns the pages of the verbs below a page.
func below(ask asker, above page) (pages []page, err error) {
	for _, verb := range listed(above.help.section("Available Commands")) {
		p := page{words: append(above.words[:len(above.words):len(above.words)], verb.name), short: verb.text}
		text, err := ask(p.words[1:]...)
		if err != nil {
			return nil, err
		}
		p.help = parse(text)
		deeper, err := below(ask, p)
		if err != nil {
			return nil, err
		}
		pages = append(append(pages, p), deeper...)
	}
	return pages, nil
}

// titles begin the sections that cobra writes below a description.
var titles = regexp.MustCompile(`(?m)^(Usage|Aliases|Examples|Available Commands|Flags|Global Flags|Additional help topics):\n`)

// hint is cobra's last line.
var hint = regexp.MustCompile(`(?m)^Use ".* --help" for more information about a command\.\n`)

// parse takes a help text apart. A description may have lines that look like titles: the sections begin with the last "Usage:".
func parse(text string) help {
	text = hint.ReplaceAllString(text, "")
	from := strings.LastIndex(text, "\nUsage:\n") + 1
	if from == 0 && !strings.HasPrefix(text, "Usage:\n") {
		return help{about: strings.TrimSpace(text)}
	}
	h := help{about: strings.TrimSpace(text[:from])}
	places := titles.FindAllStringSubmatchIndex(text[from:], -1)
	for i, at := range places {
		end := len(text) - from
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		h.sections = append(h.sections, section{text[from+at[2] : from+at[3]], strings.TrimRight(text[from+at[1]:from+end], " \n")})
	}
	return h
}

// section returns the text of the section with a title, empty if there is none.
func (h *help) section(title string) string {
	for _, s := range h.sections {
		if s.title == title {
			return s.text
		}
	}
	return ""
}

// entry is a line of a list: a verb, a topic or a flag, and its meaning.
type entry struct{ name, text string }

// listed returns the entries of a list of verbs or topics, a line each.
func listed(text string) (list []entry) {
	for line := range strings.Lines(text) {
		name, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		list = append(list, entry{name, strings.TrimSpace(meaning)})
	}
	return list
}

// option is a line of a list of flags. Three spaces or more stand between a flag and its meaning.
var option = regexp.MustCompile(`^ +(-.*?) {3,}(.*)$`)

// options returns the entries of a list of flags. A line without a flag continues the meaning before it.
func options(text string) (list []entry) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := option.FindStringSubmatch(line); m != nil {
			list = append(list, entry{m[1], m[2]})
		} else if n := len(list) - 1; n >= 0 {
			list[n].text += "\n" + strings.TrimSpace(line)
		}
	}
	return list
}
