// Package replay keeps the statements that a process of Engram ran in a file, for another that runs nothing else.
package replay

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Name is that of the file in a data directory.
const Name = "statements"

// A Statement was run with arguments, of which Rows rows were read.
type Statement struct {
	SQL  string
	Args []any // nil, int64, float64, string or []byte
	Rows int
}

// Separators of a file: they do not occur in texts of the corpus or of Engram.
const (
	betweenStatements = "\x1e"
	betweenParts      = "\x1f"
)

// Format writes statements as Parse reads them: quick to read, so that reading costs the reference nothing.
func Format(all []Statement) []byte {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(strconv.Itoa(s.Rows) + betweenParts + s.SQL)
		for _, a := range s.Args {
			b.WriteString(betweenParts)
			switch v := a.(type) {
			case nil:
				b.WriteByte('n')
			case int64:
				b.WriteString("i" + strconv.FormatInt(v, 10))
			case float64:
				b.WriteString("f" + strconv.FormatFloat(v, 'g', -1, 64))
			case string:
				b.WriteString("s" + v)
			case []byte:
				b.WriteString("b" + hex.EncodeToString(v))
			}
		}
		b.WriteString(betweenStatements)
	}
	return []byte(b.String())
}

// Parse reads statements.
func Parse(file string) (all []Statement, err error) {
	for file != "" {
		var text string
		text, file, _ = strings.Cut(file, betweenStatements)
		rows, text, _ := strings.Cut(text, betweenParts)
		sql, args, some := strings.Cut(text, betweenParts)
		s := Statement{SQL: sql}
		if s.Rows, err = strconv.Atoi(rows); err != nil || sql == "" {
			return nil, fmt.Errorf("%q is no statement: %v", text, err)
		}
		for some {
			var arg string
			arg, args, some = strings.Cut(args, betweenParts)
			value, err := argument(arg)
			if err != nil {
				return nil, err
			}
			s.Args = append(s.Args, value)
		}
		all = append(all, s)
	}
	return all, nil
}

func argument(text string) (any, error) {
	if text == "" {
		return nil, errors.New("an argument has no kind")
	}
	switch kind, value := text[0], text[1:]; kind {
	case 'i':
		return strconv.ParseInt(value, 10, 64)
	case 'f':
		return strconv.ParseFloat(value, 64)
	case 'b':
		return hex.DecodeString(value)
	case 's':
		return value, nil
	}
	return nil, nil
}

// Arguments returns what the parameters of a statement, ? or ?1, are in its expanded text, as SQLite writes it: by number.
func Arguments(sql, expanded string) (args []any, err error) {
	next := 0
	for {
		at := parameter(sql)
		if at < 0 {
			if sql != expanded {
				return nil, fmt.Errorf("%q is no end of %q", expanded, sql)
			}
			return args, nil
		}
		if len(expanded) < at || sql[:at] != expanded[:at] {
			return nil, fmt.Errorf("%q does not begin as %q", expanded, sql)
		}
		sql, expanded = sql[at+1:], expanded[at:]
		digits := len(sql) - len(strings.TrimLeft(sql, "0123456789"))
		number := next + 1
		if digits > 0 {
			number, _ = strconv.Atoi(sql[:digits])
		}
		next = max(next, number)
		sql = sql[digits:]
		var value any
		if value, expanded, err = literal(expanded); err != nil {
			return nil, err
		}
		for len(args) < number {
			args = append(args, nil)
		}
		args[number-1] = value
	}
}

// parameter returns where the first parameter of a statement is, outside of its quotes; -1 without one.
func parameter(sql string) int {
	quoted := byte(0)
	for i := range len(sql) {
		switch c := sql[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '\'' || c == '"':
			quoted = c
		case c == '?':
			return i
		}
	}
	return -1
}

// literal reads the literal at the beginning of a text.
func literal(text string) (value any, rest string, err error) {
	switch {
	case strings.HasPrefix(text, "NULL"):
		return nil, text[4:], nil
	case strings.HasPrefix(text, "x'"):
		blob, rest, _ := strings.Cut(text[2:], "'")
		b, err := hex.DecodeString(blob)
		return b, rest, err
	case strings.HasPrefix(text, "'"):
		var b strings.Builder
		for text = text[1:]; ; {
			part, after, ok := strings.Cut(text, "'")
			b.WriteString(part)
			if !ok {
				return nil, "", fmt.Errorf("%q has no end", text)
			}
			if !strings.HasPrefix(after, "'") {
				return b.String(), after, nil
			}
			b.WriteByte('\'')
			text = after[1:]
		}
	}
	n := len(text) - len(strings.TrimLeft(text, "+-.0123456789e"))
	if i, err := strconv.ParseInt(text[:n], 10, 64); err == nil {
		return i, text[n:], nil
	}
	f, err := strconv.ParseFloat(text[:n], 64)
	return f, text[n:], err
}
