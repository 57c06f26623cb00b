//go:build !amd64

package products

const available = false

func addRows(*combinations) { panic("products: no kernel for this processor") }
