package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A scored is a piece of Unigram's vocabulary.
type scored struct {
	text  string
	score float64
}

// pieces reads a vocabulary, [["▁the", -3.2], …], which is valid JSON. There are 250,000 pieces in published ones, and by
// encoding/json they would take half a second.
func pieces(list []byte) (all []scored, err error) {
	if list, err = opening(list); err != nil {
		return nil, err
	}
	for {
		if list = bytes.TrimLeft(list, blanks+","); len(list) > 0 && list[0] == ']' {
			return all, nil
		}
		var p scored
		if p, list, err = piece(list); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// blanks are those of JSON.
const blanks = " \t\r\n"

// opening removes the bracket that opens a list.
func opening(list []byte) ([]byte, error) {
	list = bytes.TrimLeft(list, blanks)
	if len(list) == 0 || list[0] != '[' {
		return nil, fmt.Errorf("%.40q is not a list", list)
	}
	return bytes.TrimLeft(list[1:], blanks), nil
}

// piece reads one piece and returns what follows it.
func piece(list []byte) (p scored, rest []byte, err error) {
	if list, err = opening(list); err != nil {
		return p, nil, err
	}
	end := 1
	for end < len(list) && list[end] != '"' {
		if list[end] == '\\' {
			end++
		}
		end++
	}
	if list[0] != '"' || end >= len(list) {
		return p, nil, fmt.Errorf("%.40q is not a piece", list)
	}
	text, rest := list[:end+1], list[end+1:]
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		p.text = string(text[1:end])
	} else if err := json.Unmarshal(text, &p.text); err != nil {
		return p, nil, err
	}
	end = bytes.IndexByte(rest, ']')
	number, ok := bytes.CutPrefix(bytes.TrimLeft(rest[:max(0, end)], blanks), []byte(","))
	if !ok {
		return p, nil, fmt.Errorf("%.40q has no score", text)
	}
	p.score, err = strconv.ParseFloat(string(bytes.Trim(number, blanks)), 64)
	return p, rest[end+1:], err
}
