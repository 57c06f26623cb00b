package matmul

// RowByRow is Multiply on processors without the kernel.
var RowByRow = rowByRow
