package conn

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
)

// connection is a connection of the driver.
type connection interface {
	driver.Conn
	PrepareContext(ctx context.Context, query string) (driver.Stmt, error)
	driver.ExecerContext
	driver.QueryerContext
}

// statement is a prepared statement of the driver.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// valuesOf converts the arguments of a statement. They are valid until the next call: the driver binds copies of them
// before it runs anything.
func (c *Conn) valuesOf(args []any) ([]driver.NamedValue, error) {
	if len(args) == 0 {
		return nil, nil
	}
	clear(c.values) // they keep texts in memory
	all := slices.Grow(c.values[:0], len(args))
	for i, a := range args {
		v := a
		switch x := a.(type) {
		case nil, int64, string, []byte, float64, bool:
		case int:
			v = int64(x)
		default:
			var err error
			if v, err = driver.DefaultParameterConverter.ConvertValue(a); err != nil {
				return nil, fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
		all = append(all, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	c.values = all
	return all, nil
}

// row is the current row of a query.
type row struct{ values []driver.Value }

func newRow(rows driver.Rows) *row { return &row{make([]driver.Value, len(rows.Columns()))} }

// first scans the first row, none is sql.ErrNoRows, and closes the rows.
func first(rows driver.Rows, into []any) error {
	r := newRow(rows)
	err := rows.Next(r.values)
	if errors.Is(err, io.EOF) {
		err = sql.ErrNoRows
	} else if err == nil {
		err = r.Scan(into...)
	}
	if shut := rows.Close(); err == nil {
		err = shut
	}
	return err
}

// Scan implements sqlrow.Scanner and converts as database/sql does. The driver's texts and blobs are copies already, and are
// not copied again: what it writes to a sql.RawBytes lasts.
func (r *row) Scan(into ...any) error {
	if len(into) != len(r.values) {
		return fmt.Errorf("%d columns for %d destinations", len(r.values), len(into))
	}
	for i, d := range into {
		if err := assign(d, r.values[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign converts v to the type that into points to.
func assign(into any, v driver.Value) error {
	switch d := into.(type) {
	case *int64:
		if n, ok := v.(int64); ok {
			*d = n
			return nil
		}
	case *int:
		if n, ok := v.(int64); ok {
			*d = int(n)
			return nil
		}
	case *string:
		if s, ok := v.(string); ok {
			*d = s
			return nil
		}
	case *float64:
		if f, ok := v.(float64); ok {
			*d = f
			return nil
		}
	case *[]byte:
		return assignBytes(d, v)
	case *sql.RawBytes:
		return assignBytes((*[]byte)(d), v)
	case *any:
		*d = v
		return nil
	case sql.Scanner:
		return d.Scan(v)
	}
	return convert(reflect.ValueOf(into).Elem(), v)
}

func assignBytes(into *[]byte, v driver.Value) error {
	switch x := v.(type) {
	case nil:
		*into = nil
	case []byte:
		*into = x
	case string:
		*into = []byte(x)
	default:
		return fmt.Errorf("cannot read %T as bytes", v)
	}
	return nil
}

// convert sets a text or a number, of any type, to v.
func convert(into reflect.Value, v driver.Value) error {
	switch into.Kind() {
	case reflect.String:
		switch x := v.(type) {
		case string:
			into.SetString(x)
			return nil
		case []byte:
			into.SetString(string(x))
			return nil
		case int64: // a key that is a number
			into.SetString(strconv.FormatInt(x, 10))
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		switch x := v.(type) {
		case int64:
			if into.OverflowInt(x) {
				return fmt.Errorf("%d is too large", x)
			}
			into.SetInt(x)
			return nil
		case string:
			n, err := strconv.ParseInt(x, 10, into.Type().Bits())
			into.SetInt(n)
			return err
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if x, ok := v.(int64); ok && x >= 0 && !into.OverflowUint(uint64(x)) {
			into.SetUint(uint64(x))
			return nil
		}
	case reflect.Float32, reflect.Float64:
		switch x := v.(type) {
		case float64:
			into.SetFloat(x)
			return nil
		case int64:
			into.SetFloat(float64(x))
			return nil
		}
	case reflect.Bool:
		if x, ok := v.(int64); ok {
			into.SetBool(x != 0)
			return nil
		}
	}
	return fmt.Errorf("cannot read %T as %s", v, into.Type())
}
