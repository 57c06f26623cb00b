package fit

import (
	"context"
	"fmt"
)

// chunk is the number of values between two checks of the context, which take less than a millisecond.
const chunk = 1 << 14

// nodeChunk is the number of nodes of a quadrature between two checks of the context. At order 50 a node takes some
// thousand multiplications.
const nodeChunk = 1 << 8

// stopped reports whether ctx has ended, in a loop with steps i from 0. It looks at ctx only if i is a multiple of
// 2^14, because looking takes time. At other steps it returns false. Incomplete results of a loop never reach a caller,
// because the exported functions check ctx last; see [interrupted].
func stopped(ctx context.Context, i int) bool { return i&(chunk-1) == 0 && ctx.Err() != nil }

// stoppedAtNode reports whether ctx has ended, as [stopped] does, in loops over the nodes of a quadrature. It looks at
// ctx only at nodes j that are a multiple of 2^8, because a node takes longer than a value.
func stoppedAtNode(ctx context.Context, j int) bool { return j&(nodeChunk-1) == 0 && ctx.Err() != nil }

// during calls f and returns its results. If ctx is nil or has ended before the call, f is not called. If f fails or
// ctx has ended when f returns, the result is the zero value and an error. If both happen, the error comes from ctx. f
// itself must watch ctx.
func during[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var none T
	if err := begin(ctx); err != nil {
		return none, err
	}
	out, err := f()
	if err := interrupted(ctx, err); err != nil {
		return none, err
	}
	return out, nil
}

// begin returns an *[OptionError] if ctx is nil, the error of ctx with the prefix "fit: " if ctx has ended, and
// otherwise nil.
func begin(ctx context.Context) error {
	if ctx == nil {
		return &OptionError{"context", "is nil"}
	}
	return interrupted(ctx, nil)
}

// interrupted returns the error of ctx with the prefix "fit: " if ctx has ended, and err otherwise. Results that were
// computed after the end of ctx may be incomplete, so its error comes first.
func interrupted(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("fit: %w", ended)
	}
	return err
}
