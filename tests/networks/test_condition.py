import torch

from sbgd.networks.condition import Condition, Modulation, time_embedding


def test_time_embedding_holds_sines_and_cosines_of_eight_octaves() -> None:
    half = time_embedding(torch.tensor([0.5], dtype=torch.float64))[0]
    root = 0.5**0.5
    sines, cosines = [root, 1, 0, 0, 0, 0, 0, 0], [root, 0, -1, 1, 1, 1, 1, 1]
    torch.testing.assert_close(half, torch.tensor(sines + cosines, dtype=torch.float64), rtol=0, atol=1e-12)


def test_time_embedding_tells_all_signal_shares_apart() -> None:
    embedded = time_embedding(torch.linspace(0, 1, 257, dtype=torch.float64))
    distance = torch.cdist(embedded, embedded) + 10 * torch.eye(257)
    assert distance.min() > 0.1


def test_modulation_starts_as_a_plain_layer_norm() -> None:
    generator = torch.Generator().manual_seed(0)
    x, condition = torch.randn(3, 5, 6, generator=generator), torch.randn(3, 4, generator=generator)
    torch.testing.assert_close(Modulation(6, 4)(x, condition), torch.nn.functional.layer_norm(x, (6,)))


def test_modulation_scales_and_shifts_by_the_condition_of_the_sample() -> None:
    layer = Modulation(2, 1)
    with torch.no_grad():
        layer.affine.weight.copy_(torch.tensor([[1.0], [0.0], [0.0], [3.0]]))
    x = torch.tensor([[[-1.0, 1.0]], [[-1.0, 1.0]]])
    found = layer(x, torch.tensor([[0.0], [2.0]]))
    torch.testing.assert_close(found, torch.tensor([[[-1.0, 1.0]], [[-3.0, 7.0]]]), rtol=1e-4, atol=0)


def test_condition_reads_the_signal_and_every_number() -> None:
    torch.manual_seed(0)
    condition = Condition(3, 32).double()
    signal = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    numbers = torch.tensor([[0.1, -1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    condition(signal, numbers).sum().backward()
    assert signal.grad is not None
    assert numbers.grad is not None
    assert signal.grad.all()
    assert numbers.grad.all()
