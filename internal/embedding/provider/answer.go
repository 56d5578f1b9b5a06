package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/alanbuscaglia/engram/internal/vector"
)

// each calls do with the elements of a JSON list, which must be as many as wanted. It holds one at a time: a list may
// have millions.
func each(list json.RawMessage, want int, do func(i int, element json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(list))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return errors.New("the answer has no list")
	}
	n := 0
	for ; d.More(); n++ {
		if n == want {
			return fmt.Errorf("the answer has more than %d results for %d texts", want, want)
		}
		var element json.RawMessage
		if err := d.Decode(&element); err != nil {
			return errors.New("the answer is no JSON")
		}
		if err := do(n, element); err != nil {
			return err
		}
	}
	if n != want {
		return fmt.Errorf("the answer has %d results for %d texts", n, want)
	}
	return nil
}

// placed returns the place of a result: its index, or where it stands if the server gives none. taken says which
// places have one.
func placed(index *int, i int, taken []bool) (int, error) {
	if index != nil {
		i = *index
	}
	if i < 0 || i >= len(taken) || taken[i] {
		return 0, fmt.Errorf("the answer has the index %d twice or wrongly", i)
	}
	taken[i] = true
	return i, nil
}

// numbers reads a vector: a list of numbers, or a string of little-endian float32 in base64. It is not the decoder's
// work, which takes null for 0: some servers write NaN as null.
func numbers(b json.RawMessage) (v []float32, err error) {
	b = bytes.TrimSpace(b)
	if len(b) > 1 && b[0] == '"' {
		if v, err = packed(b); err != nil {
			return nil, err
		}
	} else {
		if len(b) < 2 || b[0] != '[' {
			return nil, errors.New("a vector of the answer is no list of numbers")
		}
		for part := range bytes.SplitSeq(b[1:len(b)-1], []byte(",")) {
			x, err := strconv.ParseFloat(string(bytes.TrimSpace(part)), 32)
			if err != nil {
				return nil, errors.New("a vector of the answer has what is not a finite number")
			}
			if v = append(v, float32(x)); len(v) > vector.MaxDimensions {
				return nil, fmt.Errorf("a vector of the answer has more than %d numbers", vector.MaxDimensions)
			}
		}
	}
	for _, x := range v {
		if x-x != 0 {
			return nil, errors.New("a vector of the answer has what is not a finite number")
		}
	}
	if !vector.Normalise(v) {
		return nil, errors.New("a vector of the answer is empty or zero")
	}
	return v, nil
}

func packed(b json.RawMessage) ([]float32, error) {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return nil, errors.New("a vector of the answer is no list of numbers")
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%4 != 0 || len(raw)/4 > vector.MaxDimensions {
		return nil, errors.New("a vector of the answer is no list of numbers")
	}
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v, nil
}
