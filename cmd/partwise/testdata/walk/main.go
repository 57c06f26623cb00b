// Command walk calls exported functions and methods of the library with zero, nil and wrong values. It prints the calls
// that panic, do not return, or return NaN without an error. It calls every function, and every method that can return
// an error, of zero and nil receivers, and of receivers whose lists have a nil entry. It calls all methods of
// types whose zero value means something, also of nil pointers to them. The test that runs the command generates the tables functions and types from all
// exports.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

var (
	errorType   = reflect.TypeFor[error]()
	contextType = reflect.TypeFor[context.Context]()
	matrixType  = reflect.TypeFor[mat.Matrix]()
	writerType  = reflect.TypeFor[io.Writer]()
	readerType  = reflect.TypeFor[io.Reader]()
)

// kinds of wrong values: of a kind, every argument has the same kind of value.
const kinds = 6

var (
	floats = [kinds]float64{0, math.NaN(), -1, math.Inf(1), 1e-320, 2}
	ints   = [kinds]int64{0, -1, math.MinInt32, 1, 3, 1000}
	texts  = [kinds]string{"", "x", "-1", "a:b,c=d", "\xff", "1"}
)

// value makes an argument of one kind.
func value(t reflect.Type, kind, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == contextType:
		ctx, _ := context.WithTimeout(context.Background(), time.Second)
		return reflect.ValueOf(ctx).Convert(t)
	case t == matrixType:
		return reflect.ValueOf(&[]mat.Matrix{nil, (*mat.Dense)(nil), &mat.Dense{}, mat.NewDense(1, 1, []float64{math.NaN()}),
			mat.NewDense(1, 2, nil), mat.NewDense(2, 2, nil)}[kind]).Elem()
	case t == writerType:
		return reflect.ValueOf(io.Discard)
	case t == readerType:
		return reflect.ValueOf(strings.NewReader(texts[kind]))
	case kind == 0 || depth > 4:
		return v
	}
	switch t.Kind() {
	case reflect.Float64:
		v.SetFloat(floats[kind])
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(ints[kind])
	case reflect.String:
		v.SetString(texts[kind])
	case reflect.Bool:
		v.SetBool(kind%2 == 1)
	case reflect.Slice:
		if kind == 1 {
			return reflect.MakeSlice(t, 0, 0)
		}
		for range kind - 1 {
			v = reflect.Append(v, value(t.Elem(), kind, depth+1))
		}
		if t.Elem().Kind() == reflect.Pointer {
			v = reflect.Append(v, reflect.Zero(t.Elem()))
		}
	case reflect.Map:
		v = reflect.MakeMap(t)
		v.SetMapIndex(value(t.Key(), kind, depth+1), value(t.Elem(), kind, depth+1))
	case reflect.Pointer:
		v = reflect.New(t.Elem())
		v.Elem().Set(value(t.Elem(), kind-1, depth+1))
	case reflect.Struct:
		for i := range t.NumField() {
			if f := v.Field(i); f.CanSet() {
				f.Set(value(t.Field(i).Type, kind, depth+1))
			}
		}
	case reflect.Func:
		if kind%2 == 0 {
			return reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
				for i := range t.NumOut() {
					out = append(out, reflect.Zero(t.Out(i)))
				}
				return out
			})
		}
	}
	return v
}

// withNilEntries returns a pointer to a zero value of type t whose exported lists of pointers and of interfaces have one entry, nil.
func withNilEntries(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		f := v.Elem().Field(i)
		if f.CanSet() && f.Kind() == reflect.Slice && (f.Type().Elem().Kind() == reflect.Pointer ||
			f.Type().Elem().Kind() == reflect.Interface) {
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
	return v
}

// undefined reports whether a result holds NaN.
func undefined(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Float64:
		return math.IsNaN(v.Float())
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 100) {
			if undefined(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && depth < 4 && undefined(v.Field(i), depth+1) {
				return true
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && depth < 4 && undefined(v.Elem(), depth+1)
	}
	return false
}

// call calls f with arguments of a kind and returns what is wrong with that.
func call(f reflect.Value, receiver []reflect.Value, kind int) string {
	t := f.Type()
	args := slices.Clone(receiver)
	for i := len(args); i < t.NumIn(); i++ {
		if t.IsVariadic() && i == t.NumIn()-1 {
			for range kind {
				args = append(args, value(t.In(i).Elem(), kind, 1))
			}
			break
		}
		args = append(args, value(t.In(i), kind, 0))
	}
	told := make(chan string, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				told <- fmt.Sprintf("panics: %v\n%s", r, place(string(debug.Stack())))
			}
		}()
		out := f.Call(args)
		if !fails(t) || !out[len(out)-1].IsNil() {
			told <- ""
			return
		}
		for _, v := range out[:len(out)-1] {
			if undefined(v, 0) {
				told <- fmt.Sprintf("returns %.200v without an error", v)
				return
			}
		}
		told <- ""
	}()
	select {
	case problem := <-told:
		return problem
	case <-time.After(5 * time.Second):
		return "does not return"
	}
}

// fails reports whether a function can return an error.
func fails(t reflect.Type) bool { return t.NumOut() > 0 && t.Out(t.NumOut()-1) == errorType }

// place returns the lines of a stack that are of the library.
func place(stack string) string {
	var lines []string
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, root) && len(lines) < 3 {
			lines = append(lines, "\t"+strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), root)))
		}
	}
	return strings.Join(lines, "\n")
}

var found bool

func walk(name string, f reflect.Value, receiver ...reflect.Value) {
	for kind := range kinds {
		if problem := call(f, receiver, kind); problem != "" {
			fmt.Printf("%s\t%d\t%s\n", name, kind, strings.ReplaceAll(problem, "\n", " "))
			found = true
			return
		}
	}
}

func main() {
	for _, name := range slices.Sorted(mapKeys(functions)) {
		walk(name, reflect.ValueOf(functions[name]))
	}
	for _, name := range slices.Sorted(mapKeys(types)) {
		t := types[name]
		if t.Kind() == reflect.Interface || excluded[name] {
			continue
		}
		pointer := reflect.PointerTo(t)
		for i := range pointer.NumMethod() {
			m := pointer.Method(i)
			full := name + "." + m.Name
			if excluded[full] || m.Name == "Unwrap" || !fails(m.Type) && !zeroIsValid[name] {
				continue
			}
			walk(full, m.Func, reflect.New(t))
			if _, byValue := t.MethodByName(m.Name); !byValue && name != "phasetype.Random" { // With makes each Random
				walk("nil "+full, m.Func, reflect.Zero(pointer))
			}
			walk("nil entries of "+full, m.Func, withNilEntries(t))
		}
	}
	if found {
		os.Exit(1)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
